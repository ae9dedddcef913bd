import { type Caller, MainstayError, mobileClient } from '@mainstay-auth/client'
import * as SecureStore from 'expo-secure-store'

/** What the form of a login shows. */
export type LoginResult =
  | { readonly status: 'loggedIn'; readonly caller: Caller }
  | { readonly status: 'codeRequired'; readonly challenge: string }
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

/** The second step, with the code of an authenticator app. */
export function enterCode(challenge: string, code: string): Promise<LoginResult> {
  return resultOf(client.completeSecondFactor({ challenge, code }))
}

async function resultOf(login: Promise<Caller>): Promise<LoginResult> {
  try {
    return { status: 'loggedIn', caller: await login }
  } catch (error) {
    if (!(error instanceof MainstayError)) return { status: 'refused', text: 'There is no connection.' }
    if (error.code === 'SECOND_FACTOR_REQUIRED' && error.challenge)
      return { status: 'codeRequired', challenge: error.challenge }
    return { status: 'refused', text: TEXTS[error.code] ?? 'We cannot log you in at the moment.' }
  }
}
