import { ApiError } from '../http/api-error.js'
import { parseForm } from '../http/form.js'
import { requiredText } from '../http/form-fields.js'
import { jsonAnswer, type PageAnswer, pageAnswer, redirectAnswer } from '../http/page-answer.js'
import type { ReceivedRequest } from '../http/received-request.js'
import type { OverviewPage } from './overview-page.js'
import type { SandboxSettings } from './sandbox-settings.js'
import { runSimulation } from './simulations.js'
import type { Simulator } from './simulator.js'

/**
 * `/` is for people, `/control` for programs. `GET /control` returns the settings, `POST /control` changes
 * them, and `POST /control/:simulation` runs a simulation on the object with the given `id`. Browsers are
 * redirected to `/`.
 */
export class ControlRoutes {
  constructor(
    private readonly settings: SandboxSettings,
    private readonly simulator: Simulator,
    private readonly page: OverviewPage,
  ) {}

  /** Null when the path is not one of these. */
  async answer(received: ReceivedRequest): Promise<PageAnswer | null> {
    const { method, path } = received
    if (path === '/' && method === 'GET') return pageAnswer(200, this.page.show(null))
    const [, root, simulation, ...more] = path.split('/')
    if (root !== 'control' || more.length > 0) return null
    if (method === 'GET' && simulation === undefined) return jsonAnswer(200, this.settings.current)
    return method === 'POST' ? this.change(received, simulation) : null
  }

  private async change(received: ReceivedRequest, simulation?: string): Promise<PageAnswer> {
    const isBrowser = received.headers.accept?.includes('text/html') ?? false
    try {
      refuseOtherSites(received)
      const fields = parseForm(received.body)
      if (simulation === undefined) this.settings.update(fields)
      else await runSimulation(simulation, requiredText(fields, 'id'), this.simulator)
      return isBrowser
        ? redirectAnswer(`http://${received.headers.host}/`)
        : jsonAnswer(200, this.settings.current)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const { status, body } = error.answer()
      return isBrowser ? pageAnswer(status, this.page.show(error.message)) : jsonAnswer(status, body)
    }
  }
}

/**
 * Any page in the developer's browser could post here, but only our own may. Programs do not send the header.
 */
function refuseOtherSites({ headers }: ReceivedRequest): void {
  const from = headers['sec-fetch-site']
  if (from === undefined || from === 'same-origin' || from === 'none') return
  throw new ApiError(403, 'invalid_request_error', 'This request came from a page of another site.')
}
