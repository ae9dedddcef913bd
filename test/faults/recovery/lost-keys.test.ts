import { rm } from 'node:fs/promises'
import { beforeAll, expect, it } from '@jest/globals'
import { outcome } from '../../http/support/api-calls.js'
import { aChallenge, giveAuthenticator, giveRecoveryCodes, secondStep } from '../../support/authenticator.js'
import { eventually } from '../../support/eventually.js'
import { anOwner, signIn } from '../../support/people.js'
import { anApp } from '../../support/test-app.js'
import { readData, refresh } from '../support/requests.js'
import { runDocumented } from './documented-commands.js'

const app = anApp()
let variables: Record<string, string>
beforeAll(async () => {
  const { dataDir, jwtKeysFile, secretsKeysFile } = app.settings
  variables = {
    NODE_ENV: 'test',
    DATA_DIR: dataDir,
    JWT_KEYS_FILE: jwtKeysFile,
    SECRETS_KEYS_FILE: secretsKeysFile,
    ...app.stores,
  }
})

it('lost signing keys: tokens that are out are refused, clients refresh, and nobody is logged out', async () => {
  const session = await signIn(app, await anOwner(app), 'satellite')
  await rm(app.settings.jwtKeysFile)
  await runDocumented('Lost signing keys', 'keys:generate', variables)
  await eventually(async () => (await readData(app, session)).status === 401)
  const { status, json } = await refresh(app, session)
  expect(status).toBe(200)
  expect(await readData(app, { ...session, ...json })).toMatchObject({ status: 200 })
})

it('lost keys of stored secrets: authenticator apps no longer open the door, recovery codes do', async () => {
  const owner = await anOwner(app)
  const phone = await giveAuthenticator(app, owner)
  const [recoveryCode] = await giveRecoveryCodes(app, owner)
  const other = await signIn(app, await anOwner(app), 'satellite')
  await rm(app.settings.secretsKeysFile)
  await runDocumented('Lost keys of stored secrets', 'secrets:generate', variables)
  const withApp = async () => {
    const challenge = await aChallenge(app, owner)
    return outcome(await secondStep(app, { challenge, code: phone.code() }))
  }
  await eventually(async () => (await withApp()).startsWith('500'), { everyMs: 500 })
  const challenge = await aChallenge(app, owner)
  expect(outcome(await secondStep(app, { challenge, recoveryCode }))).toBe('200')
  expect(await refresh(app, other)).toMatchObject({ status: 200 })
})
