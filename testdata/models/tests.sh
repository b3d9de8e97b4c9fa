# What X-39 runs as its tests: tells its arguments.
printf 'ran: '
cat
