import { Injectable } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import pLimit from 'p-limit'
import { SiteUrls } from '../mail/site-urls.js'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { causeMessage } from '../platform/errors/api-error.js'
import { LeasedJobs } from '../platform/jobs.js'
import { Logger } from '../platform/log.js'
import { Metrics } from '../platform/metrics.js'
import { AccountAdmins } from '../users/notices.js'
import { type MissingProof, missingProofsMail } from './mails.js'
import { type ProofMethod, type ProofResult, SatelliteProofLookup } from './proof.js'
import { type RegisteredSatellite, RegisteredSatellites } from './registered-satellites.js'

const JOB = { name: 'satellite-checks', everyMs: 10 * 60 * 1000 }
const CHECKS_A_RUN = 1_000
/**
 * Each check is two concurrent requests to other people's servers, of at most 5 seconds: in the worst case a
 * run takes half its lease.
 */
const CHECKS_AT_ONCE = 20
/** After how many failures in a row the account is mailed. */
const TOLD_AT = [1, 3]

/** A satellite, and what the look-up of its proof found. */
interface Checked {
  readonly registered: RegisteredSatellite
  readonly result: ProofResult
}

/** Checks every day whether the proofs of satellites are still in place, on one replica at a time. */
@Injectable()
export class SatelliteCheckJob {
  private readonly logger = new Logger('SatelliteCheckJob')

  constructor(
    private readonly database: Database,
    private readonly registered: RegisteredSatellites,
    private readonly proofLookup: SatelliteProofLookup,
    private readonly auditLog: AuditLog,
    private readonly admins: AccountAdmins,
    private readonly urls: SiteUrls,
    private readonly jobs: LeasedJobs,
    metrics: Metrics,
  ) {
    metrics.gauge({
      name: 'satellites_failing',
      help: 'Active satellites whose proof was not found by the last check',
      read: metrics.cached('satellites', () => database.report(db => registered.countFailing(db))),
    })
  }

  /** Returns how many satellites were checked; null when the run did not finish here. */
  @Interval(JOB.everyMs)
  run(): Promise<number | null> {
    return this.jobs.run(JOB, async () => {
      const due = await this.database.run(db => this.registered.dueForCheck(db, CHECKS_A_RUN))
      const checked = await this.lookUpAll(due)
      const responding = respondingMethods(checked)
      const unanswered = checked.filter(each => outcomeOf(each, responding) === 'unanswered')
      const missing: MissingProof[] = []
      for (const each of checked) if (!unanswered.includes(each)) missing.push(...(await this.settle(each)))
      for (const accountId of new Set(missing.map(({ satellite }) => satellite.accountId)))
        await this.notify(
          accountId,
          missing.filter(({ satellite }) => satellite.accountId === accountId),
        )
      await this.postpone(unanswered)
      return checked.length - unanswered.length
    })
  }

  private lookUpAll(due: readonly RegisteredSatellite[]): Promise<Checked[]> {
    const limit = pLimit(CHECKS_AT_ONCE)
    return Promise.all(
      due.map(registered =>
        limit(async () => {
          const { satellite, proof } = registered
          return { registered, result: await this.proofLookup.look(satellite.origin, proof.token) }
        }),
      ),
    )
  }

  /** Empty when there is nothing to tell. A failed update is checked again in the next run. */
  private async settle(checked: Checked): Promise<MissingProof[]> {
    try {
      const missing = await this.recordOutcome(checked)
      return missing ? [missing] : []
    } catch (error) {
      const { origin } = checked.registered.satellite
      this.logger.error(`The check of ${origin} was not recorded: ${causeMessage(error)}`)
      return []
    }
  }

  /**
   * What to tell the account; null for nothing. A satellite that has been proven, changed or removed since
   * the look-up is left as it is.
   */
  private recordOutcome({ registered, result }: Checked): Promise<MissingProof | null> {
    const { id, accountId } = registered.satellite
    return this.database.transaction(async transaction => {
      const current = await this.registered.findLocked(transaction, accountId, id)
      if (!current || current.satellite.state === 'pending' || !isSameProof(current, registered)) return null
      if (!result.method) return this.recordFailure(transaction, current)
      await this.registered.recordFound(transaction, id, result.method)
      return null
    })
  }

  /** A suspended satellite cannot be suspended again; further failures let others claim its origin. */
  private async recordFailure(transaction: Db, missing: RegisteredSatellite): Promise<MissingProof | null> {
    const { id, accountId, origin, state, suspendedBy } = missing.satellite
    const { failures, suspendAt, isOver } = await this.registered.recordFailure(transaction, id)
    const isTold = TOLD_AT.includes(failures)
    if (state !== 'active')
      return isTold && suspendedBy !== 'operator' ? { ...missing, suspendAt, outcome: 'may be taken' } : null
    if (!isOver) return isTold ? { ...missing, suspendAt, outcome: 'missing' } : null
    await this.registered.suspend(transaction, id, 'check')
    const detail = { satellite: id, origin, suspendedBy: 'check' }
    await this.auditLog.record(
      transaction,
      auditEvent({ accountId, client: null }, 'satellite.suspend', detail),
    )
    return { ...missing, suspendAt, outcome: 'suspended' }
  }

  private async notify(accountId: string, missing: readonly MissingProof[]): Promise<void> {
    try {
      await this.admins.mail(accountId, words => missingProofsMail(words, this.urls, missing))
    } catch (error) {
      const origins = missing.map(({ satellite }) => satellite.origin).join(', ')
      this.logger.error(
        `Could not notify any account of these missing proofs: ${origins}: ${causeMessage(error)}`,
      )
    }
  }

  /** Perhaps our own network is down: they are checked again in an hour. */
  private async postpone(unanswered: readonly Checked[]): Promise<void> {
    const ids = unanswered.map(({ registered: { satellite } }) => satellite.id)
    await this.database.run(db => this.registered.postponeCheck(db, ids))
    if (ids.length > 0)
      this.logger.warn(`No check of ${ids.length} satellites got an answer; retrying in an hour`)
  }
}

/** The methods by which any satellite has answered in this run, which means that our own network is up there. */
function respondingMethods(checked: readonly Checked[]): ReadonlySet<ProofMethod> {
  const methods = (['dns', 'file'] as const).filter(method =>
    checked.some(({ result: { lookups } }) => lookups[method]?.isOutage === false),
  )
  return new Set(methods)
}

/**
 * What a check means. No answer from where the proof used to be counts as `failed`: otherwise an attacker who
 * took over a host could keep it forever by not answering. But only while others answer there, because our
 * own outage says nothing about satellites: then it is `unanswered`.
 */
function outcomeOf(
  { registered: { proof }, result: { method, lookups } }: Checked,
  responding: ReadonlySet<ProofMethod>,
): 'found' | 'failed' | 'unanswered' {
  if (method) return 'found'
  const place = proof.method === 'file' ? 'file' : 'dns'
  return lookups[place]?.isOutage === false || responding.has(place) ? 'failed' : 'unanswered'
}

/** Whether it has not been checked in the meantime, nor another check been requested. */
function isSameProof({ proof: now }: RegisteredSatellite, { proof: then }: RegisteredSatellite): boolean {
  return now.token === then.token && now.checkedAt?.getTime() === then.checkedAt?.getTime()
}
