import { expect, it } from '@jest/globals'
import { handlersOf, isPublic, MainSourceGuard } from '../../sources.js'
import { anApp } from '../../support/test-app.js'

const app = anApp()

const LIVE = 'LiveSessionGuard'
/** A live session, and the cookie of a main one. */
const BOUND = 'CookieBoundSessionGuard'

/** What satellites and apps may call, besides what everybody may. Who adds one here says why. */
const NOT_OF_MAIN_SITE_ALONE = {
  'ActiveSessionsController.end': [LIVE],
  'ActiveSessionsController.endOthers': [LIVE],
  'ActiveSessionsController.list': [LIVE],
  'BillingController.read': [LIVE, 'EnrolmentGuard'],
  'DataController.read': [],
  'LoginController.logout': [],
  'LoginsController.list': [LIVE],
  'PasswordController.change': [BOUND],
  'PlansController.list': [],
  'ProfileController.change': [LIVE],
  'ProfileController.export': [BOUND, 'EnrolmentGuard', 'ReauthenticationGuard'],
  'ProfileController.read': [LIVE],
  'ReauthenticationController.list': [LIVE],
  'ReauthenticationController.reauthenticate': [LIVE],
}

/** What asks for a proof of who is there, not only for a session. */
const AFTER_A_PROOF = [
  'AccountDeletionController.request',
  'EmailChangeController.change',
  'FactorResetController.request',
  'MembersController.remove',
  'PasskeysController.add',
  'PasskeysController.options',
  'PasskeysController.remove',
  'PasskeysController.rename',
  'PasswordRemovalController.remove',
  'ProfileController.export',
  'RecoveryCodesController.replace',
  'SatellitesController.add',
  'SatellitesController.remove',
  'SecondFactorPolicyController.change',
  'TotpController.begin',
  'TotpController.confirm',
  'TotpController.remove',
  'TransferController.request',
]

/** Asks for access tokens, and counts changes. */
const OF_ALL = ['JwtGuard', 'WriteLimitGuard']

const closed = () => handlersOf(app.app).filter(({ target }) => !isPublic(target))

it('everything that is not public asks for token and cookie of one main session, except these', () => {
  const open = closed().filter(({ guards }) => !guards.includes(MainSourceGuard))
  const guardsOf = Object.fromEntries(
    open.map(({ name, guards }) => [
      name,
      guards.map(guard => guard.name).filter(guard => !OF_ALL.includes(guard)),
    ]),
  )
  expect(guardsOf).toEqual(NOT_OF_MAIN_SITE_ALONE)
})

it('these ask for a re-authentication', () => {
  const proven = closed().filter(({ guards }) => guards.some(({ name }) => name === 'ReauthenticationGuard'))
  expect(proven.map(({ name }) => name).sort()).toEqual(AFTER_A_PROOF)
})
