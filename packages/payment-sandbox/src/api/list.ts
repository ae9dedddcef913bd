import type { Form } from '../http/form.js'
import { integer, nested, text } from '../http/form-fields.js'

// https://docs.stripe.com/api/pagination
const DEFAULT_LIMIT = 10
const MAX_LIMIT = 100

export interface List<T> {
  object: 'list'
  data: T[]
  has_more: boolean
  url: string
}

/** One page of `all` by `limit` and `starting_after`; an unknown `starting_after` starts at the beginning. */
export function listPage<T extends { id: string }>(all: T[], params: Form, url: string): List<T> {
  const limit = Math.min(integer(params, 'limit') ?? DEFAULT_LIMIT, MAX_LIMIT)
  const after = text(params, 'starting_after')
  const rest = all.slice(all.findIndex(item => item.id === after) + 1)
  return { object: 'list', data: rest.slice(0, limit), has_more: rest.length > limit, url }
}

/**
 * A test for the `created` filter: an exact second, or `gt`, `gte`, `lt` and `lte`. Passes everything when it
 * is absent.
 */
export function createdWithin(params: Form): (item: { created: number }) => boolean {
  const range = nested(params, 'created')
  const exactly = integer(params, 'created')
  const after = Math.max(integer(range, 'gte') ?? 0, (integer(range, 'gt') ?? -1) + 1)
  const before = Math.min(integer(range, 'lte') ?? Infinity, (integer(range, 'lt') ?? Infinity) - 1)
  return ({ created }) => (exactly === null || created === exactly) && created >= after && created <= before
}
