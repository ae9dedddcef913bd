// What was decided here, and why: docs/decisions/README.md, "Pages and client"
import { Module, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import type { FastifyInstance } from 'fastify'
import { CorsModule } from '../cors/cors.module.js'
import { ConsoleAddress } from '../operators/operator.guard.js'
import { serveClientFiles, serveSites } from './serve-sites.js'
import { SiteController } from './site.controller.js'
import { SiteHosts } from './site-hosts.js'

/** The client files, and the built pages that PAGES names. CORS is checked first, as for everything else. */
@Module({ imports: [CorsModule], controllers: [SiteController], providers: [SiteHosts, ConsoleAddress] })
export class PagesModule implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly hosts: SiteHosts,
  ) {}

  /** Throws a SettingsError when a site of PAGES is not built. */
  async onModuleInit(): Promise<void> {
    // The command line has no server.
    const server: FastifyInstance | undefined = this.host.httpAdapter?.getInstance()
    if (!server) return
    serveClientFiles(server)
    if (this.hosts.sites.length === 0) return
    for (const site of this.hosts.sites) site.requireBuilt()
    await serveSites(server, (host, request) => this.hosts.siteAt(host, request))
  }
}
