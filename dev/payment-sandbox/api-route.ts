import type { EventCause } from './events.js'
import type { Form } from './form.js'

export interface ApiCall {
  /** What stood for `:id` in the path, or empty. */
  id: string
  params: Form
  cause: EventCause
}

export type ApiRoute = [method: string, path: string, handle: (call: ApiCall) => object]
