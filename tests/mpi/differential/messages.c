/* Messages between random ranks: all modes of sends, all ways to receive and to wait. */
#include <stdlib.h>
#include "differential.h"

enum { kMostMessages = 8, kTags = 3, kOwnTag = 100 };

typedef struct Message {
    int from, to, tag, rounds;
    int is_longer; /* room than the message */
    int any_source, any_tag;
    int send_mode, receive_mode;
    Match match;
    Area out, in;
    MPI_Status status;
} Message;

static Message messages[kMostMessages];
static int message_count;
static Place place;

static int sent_items(const Message* message)
{
    return message->rounds * message->match.first_items;
}

static int received_items(const Message* message)
{
    return (message->rounds + message->is_longer) * message->match.second_items;
}

static int items_that_fit(const Match* match, int rounds)
{
    const int first = match->first.most_items / match->first_items;
    const int second = match->second.most_items / match->second_items - 1;
    const int most = first < second ? first : second;
    return rounds < most ? rounds : most;
}

static void draw_messages(void)
{
    message_count = 1 + below(kMostMessages);
    for (int i = 0; i < message_count; ++i) {
        Message* const message = &messages[i];
        message->from = below(place.size);
        message->to = below(place.size);
        message->tag = below(kTags);
        message->is_longer = below(2);
        /* The tag is this message's alone where anybody may send. Messages from one rank keep their order. */
        message->any_source = chance(25);
        if (message->any_source)
            message->tag = kOwnTag + i;
        message->any_tag = !message->any_source && chance(20);
        message->send_mode = below(6);
        message->receive_mode = below(6);
        message->match = draw_match();
        message->rounds = chance(15) ? 0 : chance(85) ? 1 + below(20) : 1 + below(20000);
        message->rounds = items_that_fit(&message->match, message->rounds);
        if (message->from == place.rank)
            message->out = new_area(&message->match.first, sent_items(message), salt_of(message->from, i));
        if (message->to == place.rank)
            message->in = new_area(&message->match.second, received_items(message), salt_of(place.size, i));
    }
}

#define SENT(message)                                                                                      \
    (message)->out.first, sent_items(message), (message)->match.first.type, (message)->to, (message)->tag, \
        place.comm
#define SOURCE(message) ((message)->any_source ? MPI_ANY_SOURCE : (message)->from)
#define TAG(message) ((message)->any_tag ? MPI_ANY_TAG : (message)->tag)
#define ROOM(message) (message)->in.first, received_items(message), (message)->match.second.type
#define RECEIVED(message) ROOM(message), SOURCE(message), TAG(message), place.comm

static MPI_Request begin_receive(const Message* message)
{
    MPI_Request request;
    if (message->receive_mode % 2 == 0) {
        MPI_Irecv(RECEIVED(message), &request);
        return request;
    }
    MPI_Recv_init(RECEIVED(message), &request);
    MPI_Start(&request);
    return request;
}

/* A blocking one: its receive has begun. */
static void send(const Message* message)
{
    MPI_Request request;
    switch (message->send_mode) {
        case 0:
            MPI_Send(SENT(message));
            return;
        case 1:
            MPI_Ssend(SENT(message));
            return;
        case 2:
            MPI_Bsend(SENT(message));
            return;
        case 3:
            MPI_Rsend(SENT(message));
            return;
        case 4:
            MPI_Rsend_init(SENT(message), &request);
            break;
        default:
            MPI_Send_init(SENT(message), &request);
    }
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

/* Its receive may begin later. */
static MPI_Request begin_send(const Message* message)
{
    MPI_Request request;
    switch (message->send_mode) {
        case 0:
            MPI_Isend(SENT(message), &request);
            return request;
        case 1:
            MPI_Issend(SENT(message), &request);
            return request;
        case 2:
            MPI_Ibsend(SENT(message), &request);
            return request;
        case 3:
            MPI_Send_init(SENT(message), &request);
            break;
        case 4:
            MPI_Ssend_init(SENT(message), &request);
            break;
        default:
            MPI_Bsend_init(SENT(message), &request);
    }
    MPI_Start(&request);
    return request;
}

/* Of a message that has been sent, or will be without this receive's end. */
static void receive(Message* message)
{
    MPI_Message matched;
    MPI_Status seen;
    int flag = 0, count = -1;
    switch (message->receive_mode) {
        case 0:
        case 1:
            MPI_Recv(RECEIVED(message), &message->status);
            return;
        case 2:
            MPI_Probe(SOURCE(message), TAG(message), place.comm, &seen);
            break;
        case 3:
            while (!flag)
                MPI_Iprobe(SOURCE(message), TAG(message), place.comm, &flag, &seen);
            break;
        case 4:
            MPI_Mprobe(SOURCE(message), TAG(message), place.comm, &matched, &seen);
            break;
        default:
            while (!flag)
                MPI_Improbe(SOURCE(message), TAG(message), place.comm, &flag, &matched, &seen);
    }
    MPI_Get_count(&seen, message->match.second.type, &count);
    note(count);
    note(seen.MPI_SOURCE);
    note(seen.MPI_TAG);
    if (message->receive_mode < 4)
        MPI_Recv(ROOM(message), seen.MPI_SOURCE, seen.MPI_TAG, place.comm, &message->status);
    else
        MPI_Mrecv(ROOM(message), &matched, &message->status);
}

static void wait_for(int count, MPI_Request* requests, MPI_Status* statuses)
{
    int left = count, flag = 0, done = 0, index = 0, indices[2 * kMostMessages];
    MPI_Status some[2 * kMostMessages];
    const int by = below(6);
    switch (by) {
        case 0:
            MPI_Waitall(count, requests, statuses);
            return;
        case 1:
            while (!flag)
                MPI_Testall(count, requests, &flag, statuses);
            return;
        case 2:
        case 3:
            for (; left > 0; left -= flag) {
                flag = 1;
                if (by == 2)
                    MPI_Waitany(count, requests, &index, some);
                else
                    MPI_Testany(count, requests, &index, &flag, some);
                if (flag && index == MPI_UNDEFINED)
                    return;
                if (flag)
                    statuses[index] = some[0];
            }
            return;
        default:
            for (; left > 0; left -= done) {
                if (by == 4)
                    MPI_Waitsome(count, requests, &done, indices, some);
                else
                    MPI_Testsome(count, requests, &done, indices, some);
                if (done == MPI_UNDEFINED)
                    return;
                for (int i = 0; i < done; ++i)
                    statuses[indices[i]] = some[i];
            }
    }
}

static void note_received(void)
{
    for (int i = 0; i < message_count; ++i) {
        Message* const message = &messages[i];
        if (message->to == place.rank) {
            int count = -1, cancelled = -1;
            MPI_Get_count(&message->status, message->match.second.type, &count);
            MPI_Test_cancelled(&message->status, &cancelled);
            note(message->status.MPI_SOURCE);
            note(message->status.MPI_TAG);
            note(count);
            note(cancelled);
            note_area(&message->in);
        }
        if (message->from == place.rank)
            free_area(&message->out);
        free_match(&message->match);
    }
}

void step_messages(void)
{
    MPI_Request requests[2 * kMostMessages];
    MPI_Status statuses[2 * kMostMessages];
    Message* received[2 * kMostMessages];
    static char buffer[4 << 20];
    void* taken;
    int taken_bytes, count = 0;
    const int is_early = chance(60), is_blocking = is_early && chance(50);
    describe("messages");
    place = draw_place();
    if (place.comm == MPI_COMM_NULL)
        return;
    describe(is_blocking ? "blocking" : is_early ? "early" : "late");
    draw_messages();
    MPI_Buffer_attach(buffer, sizeof buffer);
    for (int i = 0; i < message_count; ++i)
        if (is_early && messages[i].to == place.rank) {
            received[count] = &messages[i];
            requests[count++] = begin_receive(&messages[i]);
        }
    if (is_blocking)
        MPI_Barrier(place.comm);
    for (int i = 0; i < message_count; ++i)
        if (messages[i].from == place.rank) {
            if (sent_items(&messages[i]) > 1000 && messages[i].send_mode % 3 == 2)
                messages[i].send_mode = 0; /* it does not fit the buffer */
            received[count] = NULL;
            if (is_blocking)
                send(&messages[i]);
            else
                requests[count++] = begin_send(&messages[i]);
        }
    for (int i = 0; i < message_count; ++i)
        if (!is_early && messages[i].to == place.rank)
            receive(&messages[i]);
    wait_for(count, requests, statuses);
    for (int i = 0; i < count; ++i) {
        if (received[i] != NULL)
            received[i]->status = statuses[i];
        if (requests[i] != MPI_REQUEST_NULL)
            MPI_Request_free(&requests[i]);
    }
    note_received();
    MPI_Buffer_detach(&taken, &taken_bytes);
    note(taken == buffer);
}

/* Everybody sends and receives one message, in one call. */
void step_exchange(void)
{
    describe("exchange");
    place = draw_place();
    if (place.comm == MPI_COMM_NULL)
        return;
    const int shift = below(place.size), has_ends = chance(30);
    int right = (place.rank + shift) % place.size, left = (place.rank + place.size - shift) % place.size;
    if (has_ends && place.rank + shift >= place.size)
        right = MPI_PROC_NULL;
    if (has_ends && place.rank < shift)
        left = MPI_PROC_NULL;
    Match match = draw_match();
    const int rounds = items_that_fit(&match, chance(80) ? below(10) : below(5000));
    MPI_Status status;
    int count = -1;
    Area in;
    if (chance(50)) {
        Area out = new_area(&match.first, rounds * match.first_items, salt_of(place.rank, 1));
        in = new_area(&match.second, rounds * match.second_items, salt_of(place.rank, 2));
        MPI_Sendrecv(out.first, rounds * match.first_items, match.first.type, right, 5, in.first,
                     rounds * match.second_items, match.second.type, left, MPI_ANY_TAG, place.comm, &status);
        MPI_Get_count(&status, match.second.type, &count);
        free_area(&out);
    } else {
        in = new_area(&match.first, rounds * match.first_items, salt_of(place.rank, 1));
        MPI_Sendrecv_replace(in.first, rounds * match.first_items, match.first.type, right, 5, left, 5,
                             place.comm, &status);
        MPI_Get_count(&status, match.first.type, &count);
    }
    note(status.MPI_SOURCE == MPI_PROC_NULL ? -1 : status.MPI_SOURCE);
    note(status.MPI_TAG == MPI_ANY_TAG ? -1 : status.MPI_TAG);
    note(count);
    note_area(&in);
    free_match(&match);
}
