import type { FactorMethod } from '@mainstay-auth/client'
import { supportsPasskeys } from '@mainstay-auth/client/passkeys'

/** One proof of identity, in the form that the service accepts. */
export type Proof =
  | { readonly password: string }
  | { readonly code: string }
  | { readonly recoveryCode: string }
  | { readonly passkey: object }

/** Those of the service's methods that this browser supports, in the order in which people are asked. */
export function methodsHere(methods: readonly FactorMethod[]): readonly FactorMethod[] {
  const order: readonly FactorMethod[] = ['password', 'totp', 'passkey', 'recovery']
  return order.filter(method => methods.includes(method) && (method !== 'passkey' || supportsPasskeys()))
}
