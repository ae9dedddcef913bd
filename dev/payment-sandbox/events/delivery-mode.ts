/**
 * How events come to the webhook.
 * - `normal`: at once, and about in order
 * - `twice`: each again when it has arrived
 * - `late`: all of them after a while
 * - `shuffled`: each after a while of its own, so in any order
 */
export const DELIVERY_MODES = ['normal', 'twice', 'late', 'shuffled'] as const
export type DeliveryMode = (typeof DELIVERY_MODES)[number]

/** How long the first attempt waits; `shuffled` draws from 0 to `lateMs`. */
export function firstDelayMs(mode: DeliveryMode, lateMs: number): number {
  if (mode === 'late') return lateMs
  return mode === 'shuffled' ? Math.random() * lateMs : 0
}
