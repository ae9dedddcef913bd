import { Injectable } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { and, count, eq, gt } from 'drizzle-orm'
import pLimit from 'p-limit'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { satelliteProofs, satellites } from '../platform/database/schema/satellites.js'
import { causeMessage } from '../platform/errors/cause-message.js'
import { LeasedJobs } from '../platform/jobs/leased-jobs.js'
import { Logger } from '../platform/log/logger.js'
import { Metrics } from '../platform/metrics/metrics.js'
import { type ProofMethod, type ProofResult, SatelliteProofLookup } from './proof.js'
import { type RegisteredSatellite, RegisteredSatellites, SatelliteProofs } from './registered-satellites.js'
import { type MissingProof, SatelliteMails } from './mails.js'

/** Reports how many satellites fail their daily check. */
@Injectable()
export class CheckMetrics {
  constructor(
    private readonly database: Database,
    metrics: Metrics,
  ) {
    metrics.gauge({
      name: 'satellites_failing',
      help: 'Active satellites whose proof was not found by the last check',
      read: metrics.cached('satellites', () => this.countFailing()),
    })
  }

  private async countFailing(): Promise<number> {
    const [row] = await this.database.report(db =>
      db
        .select({ failing: count() })
        .from(satelliteProofs)
        .innerJoin(satellites, eq(satellites.id, satelliteProofs.satelliteId))
        .where(and(gt(satelliteProofs.failures, 0), eq(satellites.state, 'active'))),
    )
    return row?.failing ?? 0
  }
}

/** A satellite, and what the look-up of its proof found. */
export interface Checked {
  readonly registered: RegisteredSatellite
  readonly result: ProofResult
}

/** The methods by which anybody has answered in this run, which means that our own network is up there. */
export function respondingMethods(checked: readonly Checked[]): ReadonlySet<ProofMethod> {
  const methods = (['dns', 'file'] as const).filter(method =>
    checked.some(({ result: { lookups } }) => lookups[method]?.isOutage === false),
  )
  return new Set(methods)
}

/**
 * What a check means. No answer from where the proof used to be counts as `failed`: otherwise somebody who
 * took over a host could keep it forever by not answering. But only while others answer there, because our
 * own outage says nothing about satellites: then it is `unanswered`.
 */
export function outcomeOf(
  { registered: { proof }, result: { method, lookups } }: Checked,
  answered: ReadonlySet<ProofMethod>,
): 'found' | 'failed' | 'unanswered' {
  if (method) return 'found'
  const place = proof.method === 'file' ? 'file' : 'dns'
  return lookups[place]?.isOutage === false || answered.has(place) ? 'failed' : 'unanswered'
}

const JOB = { name: 'satellite-checks', everyMs: 10 * 60 * 1000 }
const CHECKS_A_RUN = 1_000
/**
 * Each check is two concurrent requests to other people's servers, of at most 5 seconds: in the worst case a
 * run takes half its lease.
 */
const CHECKS_AT_ONCE = 20
const TOLD_AT = [1, 3]

/** Records the results of checks. */
@Injectable()
export class SatelliteChecks {
  constructor(
    private readonly database: Database,
    private readonly registered: RegisteredSatellites,
    private readonly proofs: SatelliteProofs,
    private readonly auditLog: AuditLog,
  ) {}

  due(): Promise<RegisteredSatellite[]> {
    return this.database.run(db => this.proofs.dueForCheck(db, CHECKS_A_RUN))
  }

  /** Nobody has answered, perhaps because of our own network: they are checked again in an hour. */
  postpone(checked: readonly Checked[]): Promise<void> {
    const ids = checked.map(({ registered: { satellite } }) => satellite.id)
    return this.database.run(db => this.proofs.postponeCheck(db, ids))
  }

  /**
   * What to tell the account; null for nothing. A satellite that has been proven, changed or removed since
   * the look-up is left as it is.
   */
  settle({ registered, result }: Checked): Promise<MissingProof | null> {
    const { id, accountId } = registered.satellite
    return this.database.transaction(async transaction => {
      const current = await this.registered.findLocked(transaction, accountId, id)
      if (!current || current.satellite.state === 'pending' || !isSameProof(current, registered)) return null
      if (!result.method) return this.fail(transaction, current)
      await this.proofs.recordFound(transaction, id, result.method)
      return null
    })
  }

  /** A suspended satellite cannot be suspended again; further failures let others claim its origin. */
  private async fail(transaction: Db, missing: RegisteredSatellite): Promise<MissingProof | null> {
    const { id, accountId, origin, state, suspendedBy } = missing.satellite
    const { failures, suspendAt, isOver } = await this.proofs.recordFailure(transaction, id)
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
}

/** Whether nobody has checked it, or requested another check, in the meantime. */
function isSameProof({ proof: now }: RegisteredSatellite, { proof: then }: RegisteredSatellite): boolean {
  return now.token === then.token && now.checkedAt?.getTime() === then.checkedAt?.getTime()
}

/** Checks every day whether the proofs of satellites are still in place, on one replica at a time. */
@Injectable()
export class SatelliteCheckJob {
  private readonly logger = new Logger('SatelliteCheckJob')

  constructor(
    private readonly checks: SatelliteChecks,
    private readonly proofLookup: SatelliteProofLookup,
    private readonly mails: SatelliteMails,
    private readonly jobs: LeasedJobs,
  ) {}

  /** Returns how many satellites were checked; null when the run did not finish here. */
  @Interval(JOB.everyMs)
  run(): Promise<number | null> {
    return this.jobs.run(JOB, async () => {
      const checked = await this.checkAll(await this.checks.due())
      const responding = respondingMethods(checked)
      const unanswered = checked.filter(each => outcomeOf(each, responding) === 'unanswered')
      const missing: MissingProof[] = []
      for (const each of checked) if (!unanswered.includes(each)) missing.push(...(await this.settle(each)))
      for (const accountId of new Set(missing.map(({ satellite }) => satellite.accountId)))
        await this.notify(missing.filter(({ satellite }) => satellite.accountId === accountId))
      await this.checks.postpone(unanswered)
      if (unanswered.length > 0)
        this.logger.warn(`No check of ${unanswered.length} satellites got an answer; retrying in an hour`)
      return checked.length - unanswered.length
    })
  }

  private checkAll(due: readonly RegisteredSatellite[]): Promise<Checked[]> {
    const limit = pLimit(CHECKS_AT_ONCE)
    return Promise.all(
      due.map(registered =>
        limit(async () => ({ registered, result: await this.proofLookup.look(registered) })),
      ),
    )
  }

  /** Empty when there is nothing to tell. A failed update is checked again in the next run. */
  private async settle(checked: Checked): Promise<MissingProof[]> {
    try {
      const missing = await this.checks.settle(checked)
      return missing ? [missing] : []
    } catch (error) {
      const { origin } = checked.registered.satellite
      this.logger.error(`The check of ${origin} was not recorded: ${causeMessage(error)}`)
      return []
    }
  }

  private async notify(missing: readonly MissingProof[]): Promise<void> {
    try {
      await this.mails.notifyMissing(missing)
    } catch (error) {
      const origins = missing.map(({ satellite }) => satellite.origin).join(', ')
      this.logger.error(
        `Could not notify anybody of these missing proofs: ${origins}: ${causeMessage(error)}`,
      )
    }
  }
}
