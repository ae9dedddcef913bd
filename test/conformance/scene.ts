import type { TestRequest, TestResponse } from '../support/http-request.js'
import type { Case } from './case.js'
import type { Cast } from './cast.js'
import type { RawResponse } from './raw-request.js'
import type { Service } from './service/service.js'

export type Answer = TestResponse | RawResponse

/** A case on the stage: filled in, with its people, before anything is sent. */
export interface Scene {
  readonly case: Case
  readonly cast: Cast
  readonly service: Service
  /** The first HTTP request that will be sent; empty for bytes and sequences. */
  readonly request: TestRequest
}

/**
 * The check of one sentence of the cases: looks around before the request and gives back what is to hold after it.
 * The answers come in the order of the requests.
 */
export type Check = (scene: Scene) => Promise<(answers: readonly Answer[]) => void | Promise<void>>

/** A check that has nothing to look at before. */
export function afterwards(check: (scene: Scene, answers: readonly Answer[]) => void | Promise<void>): Check {
  return async scene => answers => check(scene, answers)
}
