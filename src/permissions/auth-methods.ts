import { ACRS, type Acr, AUTH_METHODS, type AuthMethod } from '@mainstay-auth/verify/token-rules'

// They stand in tokens, so whoever reads one has the same lists.
export {
  type Acr,
  type AuthMethod,
  isEnough,
  type RequiredAuthentication,
  stepUpChallenge,
} from '@mainstay-auth/verify/token-rules'

export const [ONE_FACTOR, TWO_FACTORS] = ACRS

/** Methods as one small number, a bit for each in the order of `AUTH_METHODS`; stores keep them so. */
export type AuthMethods = number & { readonly brand: 'AuthMethods' }

export function authMethods(...methods: readonly AuthMethod[]): AuthMethods {
  return methods.reduce((bits, method) => bits | (1 << AUTH_METHODS.indexOf(method)), 0) as AuthMethods
}

/** Both together. */
export function withMethods(some: AuthMethods, others: AuthMethods): AuthMethods {
  return (some | others) as AuthMethods
}

const KEYS = authMethods('hwk', 'swk')
const HAS_CHECKED_ITS_USER = authMethods('user')
const PASSWORD_AND_CODE = authMethods('pwd', 'otp')
const PASSWORD = authMethods('pwd')

/** How much the methods prove together: a passkey that has checked its user is two factors. */
export function acrOf(methods: AuthMethods): Acr {
  const isPasskey = (methods & KEYS) !== 0 && (methods & HAS_CHECKED_ITS_USER) !== 0
  const isWithCode = (methods & PASSWORD_AND_CODE) === PASSWORD_AND_CODE
  return isPasskey || isWithCode ? TWO_FACTORS : ONE_FACTOR
}

export function includesPassword(methods: AuthMethods): boolean {
  return (methods & PASSWORD) !== 0
}

/** Whether there is more among them than a password. */
export function hasSecondFactor(methods: AuthMethods): boolean {
  return (methods & ~PASSWORD) !== 0
}

const NAMES: readonly (readonly AuthMethod[])[] = Array.from(
  { length: 1 << AUTH_METHODS.length },
  (_, bits) => AUTH_METHODS.filter((_, index) => bits & (1 << index)),
)

/** As tokens have them (RFC 8176). */
export function namesOf(methods: AuthMethods): readonly AuthMethod[] {
  return NAMES[methods] ?? []
}
