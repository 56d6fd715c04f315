# Loaded before oracle.rb: every native catalog it answers with gets one more key, `cycles`: the members of each dependency
# cycle that the agent finds in it. The agent's message is in the log. A container is in the agent's graph twice, as
# Whit[Admissible_…] and Whit[Completed_…]; here it is itself.
require 'puppet'

# Adds the cycles when the catalog is converted to the native format.
module WithCycles
  def to_data_hash
    kept = filter(&:virtual?) # as the server does before it answers
    found = kept.to_ral.relationship_graph.report_cycles_in_graph || []
    cycles = found.map { |cycle| cycle.map { |member| plain(member.ref) }.uniq.sort }.sort
    super.merge('cycles' => cycles)
  end

  private

  def plain(ref)
    inner = ref[/\AWhit\[(?:admissible|completed)_(.*)\]\z/mi, 1]
    return ref unless inner

    inner.sub(/\A[^\[]+/) { |type| type.split('::').map(&:capitalize).join('::') }
  end
end

Puppet::Resource::Catalog.prepend(WithCycles)
