import { join } from 'node:path'
import { requireSameAnswers } from '../contestants/same-answers.mjs'
import { startBare, startService } from '../contestants/service.mjs'
import { Child } from '../machine/child.mjs'
import { keepCoreBusy } from '../machine/core-spinner.mjs'
import { BOTH_CORES, MEASURED_CORE } from '../machine/machine.mjs'
import { passwordHashes } from '../password-hashes.mjs'
import { PASSWORD } from '../seed.mjs'
import { FORGOTTEN_PASSWORD, measureTiming, REFUSED_LOGIN } from './measure-timing.mjs'
import { whileLoggingIn } from './one-login-at-a-time.mjs'
import { dataRequests, loginRequests, refreshRequests } from './requests.mjs'
import { inTurn, median } from './rounds.mjs'

/** So few logins fit into a second that the compiler needs longer to know what is used often. */
const LOGIN_WARM_UP_SECONDS = 8
/** Login on both cores is there for information: it gets fewer rounds. */
const BOTH_CORES_ROUNDS = 3

/** The service and the bare limits side by side: the measurements of every round by contestant. */
export async function measureServing(environment, { users, frequentUser, opened }, step) {
  const hashes = await passwordHashes(environment.DATABASE_URL)
  const [service, talkative, bare, argon2] = await Promise.all([
    startService('service', environment),
    startService('service-info', { ...environment, LOG_LEVEL: 'info' }),
    startBare(environment),
    startArgon2(hashes),
  ])
  await requireSameAnswers(service, bare, opened[0])
  const [refresh, data, login] = [refreshRequests(opened), dataRequests(opened), loginRequests(users)]
  const by = (requests, server) => seconds => requests.load(server, seconds)
  const measured = {
    refresh: await step('refresh', () =>
      inTurn({
        service: by(refresh, service),
        bare: by(refresh, bare),
        talkative: by(refresh, talkative),
      }),
    ),
    data: await step('data', () => inTurn({ service: by(data, service), bare: by(data, bare) })),
    dataUnbatched: await step('data, the other core kept awake', () =>
      keepCoreBusy(() => inTurn({ service: by(data, service), bare: by(data, bare) })),
    ),
    login: await step('login', () =>
      inTurn(
        { service: by(login, service), bare: verifying(argon2) },
        { warmUpSeconds: LOGIN_WARM_UP_SECONDS },
      ),
    ),
    timing: await step('login of known and unknown e-mails', () =>
      measureTiming(REFUSED_LOGIN, service, users),
    ),
    forgotTiming: await step('forgotten passwords of known and unknown e-mails', () =>
      measureTiming(FORGOTTEN_PASSWORD, service, users),
    ),
  }
  measured.halfLoad = await step('half the load', async () => {
    return {
      refresh: await halfLoad({ service, bare }, refresh, measured.refresh),
      data: await halfLoad({ service, bare }, data, measured.dataUnbatched),
      login: await halfLoad({ service }, login, measured.login),
    }
  })
  for (const child of [service.child, argon2]) child.pin(BOTH_CORES)
  measured.loginOnBothCores = await step('login on both cores', () =>
    inTurn({ service: by(login, service), bare: verifying(argon2) }, { rounds: BOTH_CORES_ROUNDS }),
  )
  measured.refreshBesideLogins = await step('refresh beside logins of one user', () =>
    inTurn(
      {
        service: seconds =>
          whileLoggingIn(service, frequentUser, () => refresh.load(service, seconds, { cores: BOTH_CORES })),
        bare: seconds => refresh.load(service, seconds, { cores: BOTH_CORES }),
      },
      { rounds: BOTH_CORES_ROUNDS },
    ),
  )
  return measured
}

/** Each server's rounds with half of the requests that it has just answered at most. */
function halfLoad(servers, requests, atMost) {
  const contestants = Object.entries(servers).map(([name, server]) => {
    const perSecond = median(atMost[name].map(round => round.perSecond)) / 2
    return [name, seconds => requests.load(server, seconds, { perSecond })]
  })
  return inTurn(Object.fromEntries(contestants))
}

async function startArgon2(hashes) {
  const argon2 = await Child.start({
    name: 'argon2',
    command: process.execPath,
    args: [join(import.meta.dirname, '../contestants/bare-argon2.mjs')],
    cores: MEASURED_CORE,
    messages: true,
    isReady: async () => true,
  })
  await argon2.ask({ hashes, password: PASSWORD })
  return argon2
}

function verifying(argon2) {
  return async seconds => ({ perSecond: await argon2.ask({ seconds }) })
}
