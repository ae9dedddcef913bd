import { Transform } from 'class-transformer'

/** What `read` makes of a text in a query or body; what it makes nothing of stays as it came, for the check that follows to refuse. */
export function FromText(read: (text: string) => unknown): PropertyDecorator {
  return Transform(({ value }) => (typeof value === 'string' ? (read(value) ?? value) : value))
}
