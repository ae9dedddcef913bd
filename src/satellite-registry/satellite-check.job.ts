import { Injectable } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import pLimit from 'p-limit'
import { auditEvent } from '../audit/audit-event.js'
import { AuditLog } from '../audit/audit-log.js'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { LeasedJobs } from '../jobs/leased-jobs.js'
import { Logger } from '../log/logger.js'
import { answeredPlaces, type Checked, outcomeOf } from './check-outcome.js'
import type { RegisteredSatellite } from './registered-satellite.js'
import { RegisteredSatellites } from './registered-satellites.js'
import { SatelliteMails } from './satellite-mails.js'
import { SatelliteProofs } from './satellite-proofs.js'
import { SatelliteProving } from './satellite-proving.js'

const JOB = { name: 'satellite-checks', everyMs: 10 * 60 * 1000 }
const CHECKS_A_RUN = 1_000
/** Each is two questions to other people's servers, of a few seconds at most. */
const CHECKS_AT_ONCE = 20
const MAILS_AT = [1, 3]

/** What a settled check leads to, for its mails. */
export interface SettledCheck {
  readonly failures: number
  readonly suspendAt: Date
  readonly isSuspended: boolean
}

/** Writes down what checks have found. */
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

  /** Nobody has answered, and perhaps that is our own network: they are checked again in an hour. */
  postpone(checked: readonly Checked[]): Promise<void> {
    const ids = checked.map(({ registered: { satellite } }) => satellite.id)
    return this.database.run(db => this.proofs.postponeCheck(db, ids))
  }

  /** Null when the proof was found, or when the satellite has changed since the look-up. */
  settle({ registered, result }: Checked): Promise<SettledCheck | null> {
    const { id, accountId } = registered.satellite
    return this.database.transaction(async transaction => {
      const current = await this.registered.findLocked(transaction, accountId, id)
      if (current?.proof.token !== registered.proof.token || current.satellite.state === 'pending')
        return null
      if (!result.method) return this.fail(transaction, current)
      await this.proofs.recordFound(transaction, id, result.method)
      return null
    })
  }

  /** A suspended satellite cannot be suspended again; its failures let others have the origin. */
  private async fail(transaction: Db, { satellite }: RegisteredSatellite): Promise<SettledCheck | null> {
    const { id, accountId, origin, state } = satellite
    const failed = await this.proofs.recordFailure(transaction, id)
    if (state !== 'active') return null
    if (!failed.isOver) return { ...failed, isSuspended: false }
    await this.registered.suspend(transaction, id, 'check')
    const detail = { satellite: id, origin, suspendedBy: 'check' }
    await this.auditLog.record(
      transaction,
      auditEvent({ accountId, client: null }, 'satellite.suspend', detail),
    )
    return { ...failed, isSuspended: true }
  }
}

/** Looks every day whether the proofs of satellites are still there, on one replica at a time. */
@Injectable()
export class SatelliteCheckJob {
  private readonly logger = new Logger('SatelliteCheckJob')

  constructor(
    private readonly checks: SatelliteChecks,
    private readonly proving: SatelliteProving,
    private readonly mails: SatelliteMails,
    private readonly jobs: LeasedJobs,
  ) {}

  /** Returns how many satellites were checked; null when the run did not finish here. */
  @Interval(JOB.everyMs)
  run(): Promise<number | null> {
    return this.jobs.run(JOB, async () => {
      const checked = await this.lookAtAll(await this.checks.due())
      const places = answeredPlaces(checked)
      const unanswered = checked.filter(each => outcomeOf(each, places) === 'unanswered')
      for (const each of checked) if (!unanswered.includes(each)) await this.settle(each)
      await this.checks.postpone(unanswered)
      if (unanswered.length > 0)
        this.logger.warn(
          `Nobody has answered a check of any of ${unanswered.length} satellites; they are checked again in an hour`,
        )
      return checked.length - unanswered.length
    })
  }

  private lookAtAll(due: readonly RegisteredSatellite[]): Promise<Checked[]> {
    const limit = pLimit(CHECKS_AT_ONCE)
    return Promise.all(
      due.map(registered => limit(async () => ({ registered, result: await this.proving.look(registered) }))),
    )
  }

  private async settle(checked: Checked): Promise<void> {
    const settled = await this.checks.settle(checked)
    if (settled?.isSuspended) await this.mails.tellSuspended(checked.registered)
    else if (settled && MAILS_AT.includes(settled.failures))
      await this.mails.tellFailing(checked.registered, settled.suspendAt)
  }
}
