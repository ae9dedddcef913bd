import { ApiError } from '../http/api-error.js'
import type { Form } from '../http/form.js'
import { textList } from '../http/form-fields.js'
import type { List } from './list.js'

/**
 * Finds what a field refers to, by the field's name. Null leaves the id in place: an old state file lacks
 * some objects.
 */
export type Finders = Record<string, (id: string) => object | null>

/**
 * A copy of the object in which each id that `expand[]` names is replaced by the object itself; throws 400
 * for a field that cannot be expanded. Source: https://docs.stripe.com/api/expanding_objects.
 */
export function expanded<T extends object>(object: T, params: Form, finders: Finders): T {
  const copy = { ...object } as Record<string, unknown>
  for (const path of textList(params, 'expand')) {
    // In a list the path begins with `data.`.
    const field = path.replace(/^data\./, '')
    const find = Object.hasOwn(finders, field) ? finders[field] : undefined
    if (!find)
      throw ApiError.badParameter(
        'parameter_invalid',
        'expand',
        `This property cannot be expanded (${path}).`,
      )
    const id = copy[field]
    if (typeof id === 'string') copy[field] = find(id) ?? id
  }
  return copy as T
}

/** Like `expanded`, for each object of a page. */
export function expandedPage<T extends object>(page: List<T>, params: Form, finders: Finders): List<T> {
  return { ...page, data: page.data.map(object => expanded(object, params, finders)) }
}
