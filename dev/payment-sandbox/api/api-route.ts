import type { EventCause } from '../events/event.js'
import type { Form } from '../http/form.js'

export interface ApiCall {
  /** What stood for `:id` in the path, or empty. */
  id: string
  params: Form
  cause: EventCause
}

export type ApiRoute = [method: string, path: string, handle: (call: ApiCall) => object]
