import { Transform } from 'class-transformer'

/**
 * Converts text in a query or body with `read`; what cannot be converted stays as it is, for validation to
 * refuse.
 */
export function ParseText(read: (text: string) => unknown): PropertyDecorator {
  return Transform(({ value }) => (typeof value === 'string' ? (read(value) ?? value) : value))
}
