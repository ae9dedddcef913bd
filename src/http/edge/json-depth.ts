/**
 * Whether arrays and objects are nested more than `levels` deep. Works level by level, because recursion (as
 * in class-transformer) overflows the stack at a few thousand.
 */
export function isDeeperThan(levels: number, value: unknown): boolean {
  let level = [value]
  for (let depth = 0; depth <= levels; depth++) {
    level = level.flatMap(part => (typeof part === 'object' && part !== null ? Object.values(part) : []))
    if (level.length === 0) return false
  }
  return true
}
