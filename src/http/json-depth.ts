/**
 * Whether arrays and objects stand in one another more than `levels` deep. Looks level by level: whoever calls itself
 * for each, as class-transformer does, runs out of stack at a few thousand.
 */
export function isDeeperThan(levels: number, value: unknown): boolean {
  let level = [value]
  for (let depth = 0; depth <= levels; depth++) {
    level = level.flatMap(part => (typeof part === 'object' && part !== null ? Object.values(part) : []))
    if (level.length === 0) return false
  }
  return true
}
