# Calls of methods: fib(22) by recursion.
def fib(n)
  n < 2 ? n : fib(n - 1) + fib(n - 2)
end

def work
  fib(22)
end
