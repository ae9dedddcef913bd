import type { Page } from 'playwright-core'
import { Operators } from '../../sources.js'
import { Authenticator } from '../../support/authenticator.js'
import { anEmail } from '../../support/people.js'
import type { TestApp } from '../../support/test-app.js'
import { OPERATORS } from './hosts.js'

/** The variables with which a stage has the console. */
export const CONSOLE = { OPERATOR_ORIGIN: OPERATORS, OPERATOR_ADDRESSES: '127.0.0.1,::1' }

const PASSWORD = 'the password of an operator'

/** Who works in the operator console. */
export interface Operator {
  readonly email: string
  readonly password: string
  readonly app: Authenticator
}

export async function anOperator(app: TestApp): Promise<Operator> {
  const email = anEmail()
  const { totpSecret } = await app.get(Operators).add(email, PASSWORD)
  return { email, password: PASSWORD, app: new Authenticator(app, totpSecret) }
}

/** Fills in the login page of the console, and sends it. */
export async function logInAsOperator(
  page: Page,
  { email, password, app }: Operator,
  code = app.code(),
): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByLabel('Code from your authenticator app').fill(code)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
}
