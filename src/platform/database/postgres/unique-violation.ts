/** SQLSTATE 23505, wrapped by Drizzle. */
export function isUniqueViolation(error: unknown): boolean {
  return (error as { cause?: { code?: string } }).cause?.code === '23505'
}
