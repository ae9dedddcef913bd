import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  type Permissions,
  permissionsOf,
  SessionStore,
  type User,
  UserAdministration,
} from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { aMember, anOwner, type SignedIn, signIn } from '../../support/people.js'
import { BACKENDS, TestApp } from '../../support/test-app.js'
import { claimsOf, refreshAsMain } from '../support/requests.js'

const MORE = permissionsOf(['payments', 'dataEntry', 'viewReports'])
const LESS = permissionsOf(['viewReports'])

describe.each(BACKENDS)('changes of permissions that overtake each other (%s)', backend => {
  let app: TestApp
  let member: User
  let session: SignedIn

  beforeAll(async () => {
    app = await TestApp.startOn(backend)
    member = await aMember(app, await anOwner(app))
    session = await signIn(app, member, 'main')
  })
  afterAll(() => app?.stop())

  const grant = (granted: Permissions) => app.get(UserAdministration).grant(member, granted)
  const permissionsNow = async () => claimsOf(await refreshAsMain(app, session)).permissions

  /** Holds the next grant on its way to the store until it is let go. */
  function holdNextGrant() {
    const store = app.get(SessionStore)
    const apply = store.apply.bind(store)
    let isHeld = false
    let letGo = () => {}
    const released = new Promise<void>(resolve => {
      letGo = resolve
    })
    store.apply = async changes => {
      if (changes.grants.length === 0) return apply(changes)
      store.apply = apply
      isHeld = true
      await released
      await apply(changes)
    }
    return { isHeld: () => eventually(() => isHeld), letGo }
  }

  test('the newest one stays, although an older one reaches the store after it', async () => {
    const held = holdNextGrant()
    const older = grant(MORE)
    await held.isHeld()
    await grant(LESS)
    held.letGo()
    await older
    expect(await permissionsNow()).toEqual(LESS)
  })
})
