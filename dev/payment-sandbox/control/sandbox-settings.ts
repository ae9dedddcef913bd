import type { Api } from '../api/api.js'
import { FAULTS, type Fault } from '../api/fault.js'
import { DELIVERY_MODES, type DeliveryMode } from '../events/delivery-mode.js'
import type { WebhookDeliveries } from '../events/webhook-deliveries.js'
import type { Form } from '../http/form.js'
import { integer, oneOf } from '../http/form-fields.js'

export const NO_FAULT = 'none'

/** What goes wrong, and how events come. Times are in milliseconds. */
export interface SettingValues {
  fault: Fault | typeof NO_FAULT
  slowMs: number
  delivery: DeliveryMode
  lateMs: number
}

/** The switches of the sandbox, for its page and for programs in other processes. */
export class SandboxSettings {
  constructor(
    private readonly api: Api,
    private readonly deliveries: WebhookDeliveries,
  ) {}

  get current(): SettingValues {
    const { api, deliveries } = this
    return {
      fault: api.fault ?? NO_FAULT,
      slowMs: api.slowMs,
      delivery: deliveries.mode,
      lateMs: deliveries.lateMs,
    }
  }

  /** Sets what the fields name; throws 400, with nothing set, for a word or number that is none. */
  update(fields: Form): void {
    const fault = oneOf(fields, 'fault', [NO_FAULT, ...FAULTS])
    const delivery = oneOf(fields, 'delivery', DELIVERY_MODES)
    const slowMs = integer(fields, 'slowMs')
    const lateMs = integer(fields, 'lateMs')
    if (fault) this.api.fault = fault === NO_FAULT ? null : fault
    if (delivery) this.deliveries.mode = delivery
    this.api.slowMs = slowMs ?? this.api.slowMs
    this.deliveries.lateMs = lateMs ?? this.deliveries.lateMs
  }
}
