# A static binary in an empty image, run as an unprivileged user.
FROM rust:1-alpine AS build
RUN apk add --no-cache build-base
WORKDIR /src
COPY . .
RUN cargo build --release --locked -p relink && strip target/release/relink

FROM scratch
COPY --from=build /src/target/release/relink /relink
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
USER 65532:65532
WORKDIR /work
ENV XDG_DATA_HOME=/tmp HOME=/tmp
ENTRYPOINT ["/relink"]
