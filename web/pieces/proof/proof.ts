import type { FactorMethod } from '@mainstay-auth/client'
import { supportsPasskeys } from '@mainstay-auth/client/passkeys'

/** One thing that shows who somebody is, as the service takes it. */
export type Proof =
  | { readonly password: string }
  | { readonly code: string }
  | { readonly recoveryCode: string }
  | { readonly passkey: object }

/** What this browser can do of what the service takes, in the order in which people are asked. */
export function methodsHere(methods: readonly FactorMethod[]): readonly FactorMethod[] {
  const order: readonly FactorMethod[] = ['password', 'totp', 'passkey', 'recovery']
  return order.filter(method => methods.includes(method) && (method !== 'passkey' || supportsPasskeys()))
}
