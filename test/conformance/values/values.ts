import { randomUUID } from 'node:crypto'
import { MAIN, SHOP_ONE, SHOP_TWO } from '../../support/test-app.js'
import type { Case } from '../case.js'
import type { Cast, Person } from '../cast.js'
import { COOKIE_DOMAIN } from '../service/environment.js'
import type { Value } from './fill-in.js'
import { keyIn } from './keys.js'
import { inForm } from './value-forms.js'
import { accountOf, checkoutOf } from './webhook-events.js'

type Subject = Value | Person

/** What `{{NAME}}` or `{{NAME.form}}` stands for in this case; throws for a name that nobody knows. */
export async function meaningOf(name: string, theCase: Case, cast: Cast): Promise<Value> {
  if (name === 'MAIN.cookieDomain') return COOKIE_DOMAIN
  const [subjectName = '', ...forms] = name.split('.')
  const find = SUBJECTS[subjectName]
  if (!find) throw new Error(`The runner does not know {{${name}}}`)
  const subject = await find(cast, theCase)
  if (typeof subject !== 'object') return forms.reduce<Value>((value, form) => inForm(form, value), subject)
  const [field, ...formsOfField] = forms
  return formsOfField.reduce<Value>((value, form) => inForm(form, value), subject[field as 'email'])
}

const SUBJECTS: Readonly<Record<string, (cast: Cast, theCase: Case) => Subject | Promise<Subject>>> = {
  MAIN: () => MAIN,
  SAT1: () => SHOP_ONE,
  SAT2: () => SHOP_TWO,
  NOW: () => Math.floor(Date.now() / 1000),
  ISS: ({ service }) => service.settings.jwtIssuer,
  OLD_KID: async ({ service }) => (await keyIn('retired', service.settings.jwtKeysFile)).kid,
  RND: async (cast, theCase) =>
    isWebhook(theCase) ? restOfId(await checkoutOf(theCase, cast)) : randomUUID(),
  ACC1: (cast, theCase) => accountOf(theCase, cast),
  U1: cast => cast.owner('U1'),
  U2: cast => cast.owner('U2'),
  UUNI: cast => cast.owner('UUNI'),
  ULOCKED: cast => cast.locked(),
  UDISABLED: async cast => (await cast.disabled()).person,
  AT_MAIN: async cast => (await cast.session('U1', 'main')).accessToken,
  AT_PROVEN: async cast => (await cast.proven()).accessToken,
  AT_SAT: async cast => (await cast.session('U1', 'satellite')).accessToken,
  AT_MAIN_U2: async cast => (await cast.session('U2', 'main')).accessToken,
  HANDOFF_CODE: async cast => (await cast.handoff()).code,
  HANDOFF_VERIFIER: async cast => (await cast.handoff()).verifier,
  SID_MAIN: async cast => (await cast.session('U1', 'main')).sessionId,
  SID_PROVEN: async cast => (await cast.proven()).sessionId,
  SID_SAT: async cast => (await cast.session('U1', 'satellite')).sessionId,
  SID_OTHER_SAT: async cast => (await cast.session('U2', 'satellite')).sessionId,
  SID_DISABLED_USER: async cast => (await cast.disabled()).session.sessionId,
  SID_REVOKED: async cast => (await cast.revoked()).sessionId,
  // As a cookie it is a main session: anything else would be refused for that alone.
  SID_EXPIRED: async (cast, { headers }) =>
    (await cast.expired(headers.Cookie ? 'main' : 'satellite')).sessionId,
}

function isWebhook({ stripeSig }: Case): boolean {
  return stripeSig !== undefined
}

/** The cases write `cs_{{RND}}`. */
function restOfId(checkoutId: string): string {
  return checkoutId.slice('cs_'.length)
}
