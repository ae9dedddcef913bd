import type { EventCause } from '../events/event.js'
import type { Form } from '../http/form.js'

export interface ApiCall {
  /** The value of `:id` in the path; empty when the route has none. */
  id: string
  params: Form
  cause: EventCause
}

export type ApiRoute = [method: string, path: string, handle: (call: ApiCall) => object]
