import 'reflect-metadata'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import type { OpenAPIObject } from '@nestjs/swagger'
import { AppModule } from '../../src/app.js'
import type { Settings } from '../../src/platform/config/settings.js'
import { Clock } from '../../src/platform/time.js'
import { openApiDocument } from './document.js'

/** The API reference without a running service: in preview mode Nest opens nothing, so no store is needed. */
export async function previewOpenApi(settings: Settings): Promise<OpenAPIObject> {
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.with(settings, new Clock()),
    new FastifyAdapter(),
    { preview: true, logger: ['error'] },
  )
  return openApiDocument(app, 'https://api.example.com')
}
