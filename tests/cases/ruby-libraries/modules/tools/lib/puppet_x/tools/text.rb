# Adds to Ruby's own class.
class String
  def shout
    "#{upcase}!"
  end
end
