import { generateSecretKeys } from '../../dist/src/platform/secrets/key-files.js'
import { generateKeys } from '../../dist/src/tokens/signing-keys.js'

/** Makes the two key files that these settings name. */
export async function makeKeys({ JWT_KEYS_FILE, SECRETS_KEYS_FILE }) {
  await generateKeys(JWT_KEYS_FILE, new Date())
  await generateSecretKeys(SECRETS_KEYS_FILE, new Date())
}
