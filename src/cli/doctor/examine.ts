import { givenTexts, readSettings } from '../../platform/config/read-settings.js'
import type { Settings } from '../../platform/config/settings.js'
import { Clock } from '../../platform/time.js'
import type { CommandContext } from '../command-context.js'
import { databaseCheck } from './database/database-check.js'
import { type Check, type Finding, skipped } from './finding.js'
import { checkSites } from './outside/cookie-check.js'
import { trusting } from './outside/http-probe.js'
import { Outside } from './outside/outside.js'
import { outsideCheck } from './outside/outside-check.js'
import { checkDisk } from './parts/disk-check.js'
import { keyFileChecks } from './parts/key-files-check.js'
import { checkSettings, faultsOf } from './parts/settings-check.js'
import { startChecks } from './parts/start-checks.js'
import { Redaction } from './redaction.js'
import { redisCheck } from './redis/redis-check.js'
import { runChecks } from './run-checks.js'
import { mailCheck } from './service/mail-check.js'
import { providerChecks } from './service/provider-checks.js'

/** Where to ask the running service; null leaves that out. */
export interface AskedService {
  readonly origin: URL
  /** Where the connection goes instead of to the origin's name. */
  readonly at: URL | null
  readonly replicas: readonly URL[]
  readonly ca: string | null
}

/** Examines an installation without its service, and the running service from outside. No finding contains a secret. */
export async function examine(
  environment: CommandContext['environment'],
  service: AskedService | null,
): Promise<Finding[]> {
  const redaction = new Redaction(givenTexts(environment).texts)
  const findings = await findingsOf(environment, service)
  return findings.map(({ saw, todo, ...finding }) => ({
    ...finding,
    saw: redaction.apply(saw),
    ...(todo && { todo: redaction.apply(todo) }),
  }))
}

async function findingsOf(
  environment: CommandContext['environment'],
  service: AskedService | null,
): Promise<Finding[]> {
  let settings: Settings
  try {
    settings = readSettings(environment)
  } catch (error) {
    return [...faultsOf(error), skipped('installation', 'not looked at before the settings are right')]
  }
  return runChecks(checksOf(settings, service))
}

function checksOf(settings: Settings, service: AskedService | null): Check[] {
  const clock = new Clock()
  const now = clock.now()
  return [
    { name: 'settings', todo: 'Look at the file it names', run: () => checkSettings(settings) },
    ...startChecks(settings, now),
    { name: 'cookie.site', todo: 'Correct PUBLIC_URL and MAIN_ORIGIN', run: () => checkSites(settings) },
    ...keyFileChecks(settings, now),
    { name: 'disk', todo: 'Correct DATA_DIR', run: () => checkDisk(settings) },
    databaseCheck(settings, clock),
    redisCheck(settings, clock),
    mailCheck(settings),
    ...providerChecks(settings, clock),
    service ? outsideCheck(outsideOf(service, settings, clock)) : withoutService(settings),
  ]
}

function outsideOf({ origin, at, replicas, ca }: AskedService, settings: Settings, clock: Clock): Outside {
  return new Outside({ origin, at, trust: trusting(ca) }, settings, clock, replicas)
}

function withoutService({ publicUrl }: Settings): Check {
  const saw = `not asked from outside; run doctor ${publicUrl}`
  return { name: 'service', todo: '', run: () => [skipped('service', saw)] }
}
