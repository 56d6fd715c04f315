# @summary The first even one of some numbers, `undef` when there is none
#
# @param numbers where to look
# @return the number
# @example
#   example::first_even([1, 4]) # 4
function example::first_even(Array[Integer] $numbers) >> Optional[Integer] {
  $numbers.each |$number| {
    if $number % 2 == 0 { return($number) }
  }
  undef
}
