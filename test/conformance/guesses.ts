import type { TestRequest, TestResponse } from '../support/http-request.js'
import type { Service } from './service/service.js'

/** A wrong password for this e-mail. */
export function guess(service: Service, email: string, options: TestRequest = {}): Promise<TestResponse> {
  const body = { email, password: 'wrong', source: 'satellite' }
  return service.request({ method: 'POST', path: '/api/login', body, ...options })
}

/** Guesses at it until that is refused. */
export async function lockOut(service: Service, email: string): Promise<void> {
  const { perAccountAndNetwork } = service.settings.rateLimits
  for (let count = 0; count < perAccountAndNetwork; count++) {
    const { status, text } = await guess(service, email)
    if (status !== 401) throw new Error(`guess ${count} was answered ${status} ${text}`)
  }
}
