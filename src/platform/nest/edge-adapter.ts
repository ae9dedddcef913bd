import { FastifyAdapter } from '@nestjs/platform-fastify'
import type { FastifyInstance } from 'fastify'

/** Nest's adapter over a server that the edge has prepared. */
export class EdgeAdapter extends FastifyAdapter {
  /**
   * Leaves out the hooks that the adapter runs on every request: CORS, security headers, versions, CSRF,
   * refusals while closing and middleware. We use none of Nest's.
   */
  static over(server: FastifyInstance): EdgeAdapter {
    const { addHook } = server
    const adapter = new EdgeAdapter(Object.assign(server, { addHook: () => server, skipMiddie: true }))
    server.addHook = addHook
    return adapter
  }

  /**
   * Nest installs Fastify's error handler after the routes, which then use Fastify's default for failures
   * before a handler. The edge installs ours before the first route, so Nest's would come too late and is
   * left out.
   */
  override setErrorHandler() {
    return this.getInstance()
  }
}
