/**
 * How events are delivered to the webhook.
 * - `normal`: at once and roughly in order
 * - `twice`: each is sent again after it has been delivered
 * - `late`: all after the same delay
 * - `shuffled`: each after a random delay, so in any order
 */
export const DELIVERY_MODES = ['normal', 'twice', 'late', 'shuffled'] as const
export type DeliveryMode = (typeof DELIVERY_MODES)[number]

/** The delay before the first attempt; random from 0 to `lateMs` for `shuffled`. */
export function firstDelayMs(mode: DeliveryMode, lateMs: number): number {
  if (mode === 'late') return lateMs
  return mode === 'shuffled' ? Math.random() * lateMs : 0
}
