import type { PendingTransfer } from '../../users/pending-transfers.js'

/** A transfer as those see it who may change the account's settings. */
export interface TransferView {
  /** The future owner. */
  readonly userId: string
  readonly requestedAt: Date
  /** The earliest time at which it is done. */
  readonly readyAt: Date
  /** It is cancelled if not accepted by then. */
  readonly expiresAt: Date
  readonly acceptedAt: Date | null
}

export function transferView(transfer: PendingTransfer): TransferView {
  const { toUserId: userId, requestedAt, readyAt, expiresAt, acceptedAt } = transfer
  return { userId, requestedAt, readyAt, expiresAt, acceptedAt }
}
