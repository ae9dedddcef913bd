import { Operators } from '../../sources.js'
import { Authenticator } from '../../support/authenticator.js'
import type { TestRequest, TestResponse } from '../../support/http-request.js'
import { anEmail } from '../../support/people.js'
import { type Environment, TestApp } from '../../support/test-app.js'

export const CONSOLE = 'https://operators.main.test'
export const CONSOLE_HOST = 'operators.main.test'
const PASSWORD = 'the password of an operator'

/** The variables of a service with a console, whose pages have to be in web/dist/; this machine reaches it at 127.0.0.1 alone. */
export function withConsole(environment: Environment = {}): Environment {
  return { OPERATOR_ORIGIN: CONSOLE, OPERATOR_ADDRESSES: '127.0.0.1,2001:db8::/32', ...environment }
}

export function startWithConsole(environment: Environment = {}): Promise<TestApp> {
  return TestApp.start(withConsole(environment))
}

/** Somebody who works in the console, with their app. */
export class ConsoleUser {
  private constructor(
    private readonly app: TestApp,
    readonly id: string,
    readonly email: string,
    readonly authenticator: Authenticator,
    public cookie = '',
  ) {}

  static async add(app: TestApp): Promise<ConsoleUser> {
    const email = anEmail()
    const { id, totpSecret } = await app.get(Operators).add(email, PASSWORD)
    return new ConsoleUser(app, id, email, new Authenticator(app, totpSecret))
  }

  static async loggedIn(app: TestApp): Promise<ConsoleUser> {
    const operator = await ConsoleUser.add(app)
    const { status } = await operator.logIn()
    if (status !== 204) throw new Error(`the login answered ${status}`)
    return operator
  }

  /** Keeps the cookie. What is given replaces what is right. */
  async logIn(
    body: Partial<Record<'email' | 'password' | 'code', string>> = {},
    rest: TestRequest = {},
  ): Promise<TestResponse> {
    const right = { email: this.email, password: PASSWORD, code: this.authenticator.code() }
    const answer = await this.send('POST', 'login', { ...right, ...body }, rest)
    const [cookie] = answer.setCookies
    if (cookie) this.cookie = cookie.split(';')[0] as string
    return answer
  }

  get(path: string, rest?: TestRequest): Promise<TestResponse> {
    return this.send('GET', path, undefined, rest)
  }

  post(path: string, body: object = { reason: 'asked for by phone' }, rest?: TestRequest) {
    return this.send('POST', path, body, rest)
  }

  private send(method: string, path: string, body?: object, { headers, ...rest }: TestRequest = {}) {
    return this.app.request({
      method,
      path: `/api/operator/${path}`,
      ...(body && { body }),
      headers: {
        Host: CONSOLE_HOST,
        ...(method !== 'GET' && { Origin: CONSOLE }),
        ...(this.cookie && { Cookie: this.cookie }),
        ...headers,
      },
      ...rest,
    })
  }
}
