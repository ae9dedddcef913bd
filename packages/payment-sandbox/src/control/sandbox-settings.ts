import type { Api } from '../api/api.js'
import { FAULTS, type Fault } from '../api/fault.js'
import { DELIVERY_MODES, type DeliveryMode } from '../events/delivery-mode.js'
import type { WebhookDeliveries } from '../events/webhook-deliveries.js'
import type { Form } from '../http/form.js'
import { integer, oneOf } from '../http/form-fields.js'

export const NO_FAULT = 'none'

/** Which fault the API shows, and how events are delivered. Times are in milliseconds. */
export interface SettingValues {
  fault: Fault | typeof NO_FAULT
  slowMs: number
  delivery: DeliveryMode
  lateMs: number
}

/** The settings that the overview page and programs in other processes can change. */
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

  /** Changes the settings that are in the form; throws 400, and changes nothing, when a value is invalid. */
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
