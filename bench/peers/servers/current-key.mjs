import { loadKeys } from '../../../dist/src/tokens/signing-keys.js'

/** The key that the service signs with, too: both forms of it. */
export async function currentKey(file) {
  const { kid, privateKey, publicKey } = (await loadKeys(file)).find(({ state }) => state === 'current')
  const use = { kid, alg: 'ES256', use: 'sig' }
  return {
    kid,
    privateKey,
    privateJwk: { ...privateKey.export({ format: 'jwk' }), ...use },
    publicJwk: { ...publicKey.export({ format: 'jwk' }), ...use },
  }
}
