import type { PendingTransfer } from '../../accounts/ownership/pending-transfers.js'

/** A transfer as those who look after the account see it. */
export interface TransferView {
  /** Who is to be the owner. */
  readonly userId: string
  readonly requestedAt: Date
  /** Not done before, nor before it is accepted. */
  readonly readyAt: Date
  /** Off when it is not accepted by then. */
  readonly expiresAt: Date
  readonly acceptedAt: Date | null
}

export function transferView(transfer: PendingTransfer): TransferView {
  const { toUserId: userId, requestedAt, readyAt, expiresAt, acceptedAt } = transfer
  return { userId, requestedAt, readyAt, expiresAt, acceptedAt }
}
