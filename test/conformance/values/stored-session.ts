import { handleOf, type Session, type SessionId } from '../../sources.js'
import type { TestResponse } from '../../support/http-request.js'
import type { Service } from '../service/service.js'
import { sessionIdOf } from './session-cookie.js'

/** The session that an answer handed out, as the store has it; null when there is none. */
export async function sessionOf(service: Service, answer: TestResponse): Promise<Session | null> {
  const sessionId = sessionIdOf(answer)
  if (!sessionId) return null
  return service.store.find(handleOf(sessionId as SessionId), new Date())
}
