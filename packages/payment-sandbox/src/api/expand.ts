import { ApiError } from '../http/api-error.js'
import type { Form } from '../http/form.js'
import { textList } from '../http/form-fields.js'
import type { List } from './list.js'

/**
 * Finds what a field refers to, by the field's name, or its path inside of the object. Null leaves the id in place: an old state file lacks
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
    replace(copy, field.split('.'), find)
  }
  return copy as T
}

/** Replaces an id, perhaps inside of another object, of which it makes a copy. */
function replace(copy: Record<string, unknown>, [name, ...deeper]: string[], find: Finders[string]): void {
  const value = copy[name!]
  if (deeper.length > 0) {
    const inner = { ...(value as object) } as Record<string, unknown>
    replace(inner, deeper, find)
    copy[name!] = inner
  } else if (typeof value === 'string') copy[name!] = find(value) ?? value
}

/** Like `expanded`, for each object of a page. */
export function expandedPage<T extends object>(page: List<T>, params: Form, finders: Finders): List<T> {
  return { ...page, data: page.data.map(object => expanded(object, params, finders)) }
}
