import { createPasskey, forgetPasskey, type RemovedPasskey } from '@mainstay-auth/client/passkeys'
import type { NewRecoveryCodes } from '../answers.js'
import { call } from '../api.js'

/** Has this device create a passkey. Resolves with the recovery codes if these are the first. */
export async function addPasskey(): Promise<readonly string[] | null> {
  const options = await call<object>('POST', 'passkeys/options')
  const response = await createPasskey(options)
  return (await call<NewRecoveryCodes>('POST', 'passkeys', { response })).recoveryCodes
}

/** Removes it, both here and from what the browser offers. */
export async function removePasskey(id: string): Promise<void> {
  await forgetPasskey(await call<RemovedPasskey>('DELETE', `passkeys/${id}`))
}
