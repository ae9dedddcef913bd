import { Injectable } from '@nestjs/common'
import { auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import { type ApiError, causeMessage } from '../../platform/errors/api-error.js'
import { HourlyLog, Logger } from '../../platform/log.js'

/** Ids of the provider's objects, which differ from one customer to the next; those of prices are chosen by operators. */
const IDS = /\b(?!price_)[a-z]+_[A-Za-z0-9]{8,}/g

/** What the provider refuses until an operator has changed something. Operators are told, because nobody else can help. */
@Injectable()
export class ProviderRefusals {
  private readonly logger = new Logger('Billing')

  constructor(
    private readonly hourlyLog: HourlyLog,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Logs an error of `callStripe` that says so, once an hour for each message, and records it for `billing:status`. Does
   * nothing about any other.
   */
  report(error: unknown): void {
    const { code } = error as ApiError
    if (code !== 'PAYMENT_PROVIDER_REFUSED' && code !== 'PLAN_UNAVAILABLE') return
    const reason = causeMessage(error)
    this.hourlyLog.report(`refusal ${reason.replaceAll(IDS, '…')}`, 1, times => {
      const often = times === 1 ? '' : ` (${times} times)`
      this.logger.error(`The payment provider refuses what a user needs${often}: ${reason}`)
      this.auditLog.enqueue(auditEvent({ client: null }, 'billing.refuse', { reason }), 'failed')
    })
  }
}
