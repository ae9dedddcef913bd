import { type FastifyReply, type FastifyRequest, LogController } from 'fastify'

/** One line per request, when it is answered: what, from where, status and milliseconds. */
export class RequestLog extends LogController {
  override incomingRequest(): void {}

  override requestCompleted(
    error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    const milliseconds = Math.round(reply.elapsedTime * 10) / 10
    request.log.info({ req: request, res: reply, milliseconds, ...(error && { err: error }) }, 'request')
  }
}
