# Loaded before oracle.rb: every native catalog it answers with gets one more key, `automatic`: the relationships that the agent adds
# because of types (`autorequire` and the like), each with the resource that comes first and the one that comes later.
require 'puppet'

# Adds the relationships when the catalog is converted to the native format.
module WithAutomaticRelationships
  def to_data_hash
    kept = filter(&:virtual?) # as the server does before it answers
    ral = kept.to_ral
    declared = ral.resources.flat_map(&:builddepends).map { |edge| [edge.source.ref, edge.target.ref] }
    graph = Puppet::Graph::RelationshipGraph.new(ral.send(:instance_variable_get, :@prioritizer) || Puppet::Graph::SequentialPrioritizer.new)
    graph.send(:add_all_resources_as_vertices, ral)
    graph.send(:build_manual_dependencies)
    graph.send(:build_autorelation_dependencies, ral)
    all = graph.edges.map { |edge| [edge.source.ref, edge.target.ref] }
    super.merge('automatic' => (all - declared).uniq.sort)
  end
end

Puppet::Resource::Catalog.prepend(WithAutomaticRelationships)
