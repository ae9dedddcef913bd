const AT_ONCE = 50

/** What `make` resolves with for 0, 1, … `count` - 1, some at a time. */
export async function inBatches(count, make) {
  const made = []
  while (made.length < count) {
    const length = Math.min(AT_ONCE, count - made.length)
    const first = made.length
    made.push(...(await Promise.all(Array.from({ length }, (_, index) => make(first + index)))))
  }
  return made
}
