# A version, not "24": the same Dockerfile makes the same image. Pin it by digest as well in your own builds, with what
# `docker buildx imagetools inspect node:24.21.0-bookworm-slim` prints: node:24.21.0-bookworm-slim@sha256:…
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

# Build: everything that compiles.
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/client/package.json packages/client/
COPY packages/react/package.json packages/react/
COPY packages/verify/package.json packages/verify/
COPY packages/testing/package.json packages/testing/
COPY packages/payment-sandbox/package.json packages/payment-sandbox/
RUN npm ci
COPY .swcrc nest-cli.json tsconfig.json tsconfig.build.json ./
COPY packages packages
RUN npm run build:packages
COPY src src
COPY dev dev
RUN npx nest build && node dev/join-service.mjs
COPY web web
RUN npm run build:web

# Packages of production alone: without the stand-ins that `npx mainstay-auth` brings for a laptop, and without drizzle-orm,
# of which the joined service has what it needs.
FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/client/package.json packages/client/
COPY packages/react/package.json packages/react/
COPY packages/verify/package.json packages/verify/
COPY packages/testing/package.json packages/testing/
COPY packages/payment-sandbox/package.json packages/payment-sandbox/
RUN npm ci --omit=dev \
 && npm uninstall --omit=dev @mainstay-auth/payment-sandbox drizzle-orm pino-pretty postal-mime smtp-server \
 # Links to what other projects install.
 && rm -f node_modules/@mainstay-auth/client node_modules/@mainstay-auth/react node_modules/@mainstay-auth/testing node_modules/@mainstay-auth/payment-sandbox \
 # An optional peer that the lock file has for development, and types.
 && rm -r node_modules/react node_modules/@types node_modules/undici-types \
 # Declarations and source maps, which no start reads: a third of all.
 && find node_modules -type f '(' -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.map' ')' -delete

# The image: the service, its SQL migrations, its packages and the pages; nothing of dev/ and test/.
FROM ${NODE_IMAGE}
ENV NODE_ENV=production
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/packages/verify/package.json packages/verify/
COPY --from=build /app/packages/verify/dist packages/verify/dist
COPY --from=build /app/dist/joined dist/src
COPY --from=build /app/web/dist web/dist
COPY src/platform/database/migrations src/platform/database/migrations
COPY package.json ./
# New volumes on these folders belong to the user that the service runs as.
RUN install --directory --owner=node --group=node --mode=0700 /keys /var/lib/mainstay
# Compiled code of what the command line shares with the service, which is most of it. Node looks for that of its own user
# id, and only root may change it here.
ENV NODE_COMPILE_CACHE=/app/compiled
RUN install --directory --owner=node compiled \
 && setpriv --reuid=node --clear-groups node dist/src/cli.js --version \
 && chown --recursive root compiled && chmod --recursive a+rX compiled
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["node", "dist/src/health-check.js"]
# Without a semi-space size V8 keeps up to 96 MB for objects that live for a moment; with 8 a refresh takes longer. SIGUSR1
# would open a debugger, which can read every key.
CMD ["node", "--max-semi-space-size=16", "--disable-sigusr1", "dist/src/main.js"]
