import {
  type Caller,
  type FactorMethod,
  isSecondFactorRequired,
  MainstayError,
  mobileClient,
  type SecondFactorRequired,
} from '@mainstay-auth/client'
import * as SecureStore from 'expo-secure-store'

/** What the form of a login shows. */
export type LoginResult =
  | { readonly status: 'loggedIn'; readonly caller: Caller }
  /** It takes a code of the authenticator app (`totp`), a recovery code (`recovery`) or either. */
  | { readonly status: 'codeRequired'; readonly challenge: string; readonly methods: readonly FactorMethod[] }
  | { readonly status: 'refused'; readonly text: string }

/** One for the whole app. EXPO_PUBLIC_MAINSTAY_URL is the address of the service, as the phone reaches it. */
export const client = mobileClient({
  baseUrl: process.env.EXPO_PUBLIC_MAINSTAY_URL ?? 'http://localhost:3000',
  storage: {
    get: key => SecureStore.getItemAsync(key),
    // What is stored does not go to another phone with a backup.
    set: (key, value) =>
      SecureStore.setItemAsync(key, value, {
        keychainAccessible: SecureStore.AFTER_FIRST_UNLOCK_THIS_DEVICE_ONLY,
      }),
    remove: key => SecureStore.deleteItemAsync(key),
  },
})

const TEXTS: Readonly<Record<string, string>> = {
  INVALID_CREDENTIALS: 'The e-mail address or the password is wrong.',
  OWNER_LOGIN_BARRED: 'Owners log in on the main site only.',
  TOO_MANY_ATTEMPTS: 'Too many attempts. Please wait some minutes.',
  SECOND_FACTOR_INVALID: 'This code is wrong.',
  CHALLENGE_EXPIRED: 'That took too long. Please begin again.',
}

export function logIn(email: string, password: string): Promise<LoginResult> {
  return resultOf(client.login({ email, password }))
}

/** The second step: `{ code }` of the authenticator app, or `{ recoveryCode }`. */
export function enterCode(
  challenge: string,
  proof: { readonly code: string } | { readonly recoveryCode: string },
): Promise<LoginResult> {
  return resultOf(client.completeSecondFactor({ challenge, ...proof }))
}

async function resultOf(login: Promise<Caller>): Promise<LoginResult> {
  try {
    return { status: 'loggedIn', caller: await login }
  } catch (error) {
    if (!(error instanceof MainstayError)) return { status: 'refused', text: 'There is no connection.' }
    if (isSecondFactorRequired(error)) return secondStepOf(error)
    return { status: 'refused', text: TEXTS[error.code] ?? 'We cannot log you in at the moment.' }
  }
}

function secondStepOf({ challenge, methods }: SecondFactorRequired): LoginResult {
  // They have nothing but passkeys, which are for the pages of the main site.
  if (methods.length === 0) return { status: 'refused', text: 'Please make recovery codes on our website.' }
  return { status: 'codeRequired', challenge, methods }
}
