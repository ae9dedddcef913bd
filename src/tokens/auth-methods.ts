import { ACRS, type Acr, AUTH_METHODS, type AuthMethod } from '@mainstay-auth/verify/token-rules'

// They are part of tokens, so everything that reads one uses the same lists.
export {
  type Acr,
  type AuthMethod,
  isEnough,
  type RequiredAuthentication,
  stepUpChallenge,
} from '@mainstay-auth/verify/token-rules'

export const [ONE_FACTOR, TWO_FACTORS] = ACRS

/** Methods as a small number, one bit each in the order of `AUTH_METHODS`; stores keep them in this form. */
export type AuthMethods = number & { readonly brand: 'AuthMethods' }

export function authMethods(...methods: readonly AuthMethod[]): AuthMethods {
  return methods.reduce((bits, method) => bits | (1 << AUTH_METHODS.indexOf(method)), 0) as AuthMethods
}

/** The union of both. */
export function withMethods(some: AuthMethods, others: AuthMethods): AuthMethods {
  return (some | others) as AuthMethods
}

const KEYS = authMethods('hwk', 'swk')
const HAS_CHECKED_ITS_USER = authMethods('user')
const PASSWORD_AND_CODE = authMethods('pwd', 'otp')
const PASSWORD = authMethods('pwd')

/** How much the methods prove together: a passkey that verified its user counts as two factors. */
export function acrOf(methods: AuthMethods): Acr {
  const isPasskey = (methods & KEYS) !== 0 && (methods & HAS_CHECKED_ITS_USER) !== 0
  const isWithCode = (methods & PASSWORD_AND_CODE) === PASSWORD_AND_CODE
  return isPasskey || isWithCode ? TWO_FACTORS : ONE_FACTOR
}

export function includesPassword(methods: AuthMethods): boolean {
  return (methods & PASSWORD) !== 0
}

/** Whether they include more than a password. */
export function hasSecondFactor(methods: AuthMethods): boolean {
  return (methods & ~PASSWORD) !== 0
}

const NAMES: readonly (readonly AuthMethod[])[] = Array.from(
  { length: 1 << AUTH_METHODS.length },
  (_, bits) => AUTH_METHODS.filter((_, index) => bits & (1 << index)),
)

/** In the form that tokens use (RFC 8176). */
export function namesOf(methods: AuthMethods): readonly AuthMethod[] {
  return NAMES[methods] ?? []
}
