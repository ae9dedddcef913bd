# A version, not "24": the same Dockerfile makes the same image. Pin it by digest as well in your own builds, with what
# `docker buildx imagetools inspect node:24.21.0-bookworm-slim` prints: node:24.21.0-bookworm-slim@sha256:…
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

# Build: everything that compiles.
FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/client/package.json packages/client/
COPY packages/verify/package.json packages/verify/
COPY packages/payment-sandbox/package.json packages/payment-sandbox/
RUN npm ci
COPY nest-cli.json tsconfig.json tsconfig.build.json ./
COPY packages packages
RUN npm run build:packages
COPY src src
COPY dev dev
RUN npx nest build

# Packages of production alone: without the stand-ins that `npx mainstay-auth` brings for a laptop.
FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/client/package.json packages/client/
COPY packages/verify/package.json packages/verify/
COPY packages/payment-sandbox/package.json packages/payment-sandbox/
RUN npm ci --omit=dev \
 && npm uninstall --omit=dev @mainstay-auth/payment-sandbox pino-pretty postal-mime smtp-server \
 && rm node_modules/@mainstay-auth/client node_modules/@mainstay-auth/payment-sandbox \
 && npm cache clean --force

# The image: the service, its SQL migrations and its packages; nothing of dev/ and test/.
FROM ${NODE_IMAGE}
ENV NODE_ENV=production
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/packages/verify/package.json packages/verify/
COPY --from=build /app/packages/verify/dist packages/verify/dist
COPY --from=build /app/dist/src dist/src
COPY src/database/migrations src/database/migrations
COPY package.json ./
# New volumes on these folders belong to the user that the service runs as.
RUN install --directory --owner=node --group=node --mode=0700 /keys /var/lib/mainstay
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s CMD ["node", "dist/src/health/health-check.js"]
CMD ["node", "dist/src/main.js"]
