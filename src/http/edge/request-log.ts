import { type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import type { ResponseObserver } from './response-observer.js'

/** One line per request when it is answered: what, from where, status and milliseconds. */
export class RequestLog extends LogController {
  constructor(private readonly observer: ResponseObserver) {
    super()
  }

  override incomingRequest(): void {}

  override requestCompleted(
    error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    const { elapsedTime } = reply
    this.observer.responded(request.method, request.raw.url ?? '', reply.statusCode, elapsedTime)
    const milliseconds = Math.round(elapsedTime * 10) / 10
    request.log.info({ req: request, res: reply, milliseconds, ...(error && { err: error }) }, 'request')
  }
}
